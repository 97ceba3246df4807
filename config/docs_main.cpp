// Writes the texts that are made from the tables: vfilter_docs man|completion

#include <exception>
#include <iostream>
#include <string>

#include "config/help.h"

int main(int argc, char** argv) try {
    const std::string what = argc == 2 ? argv[1] : "";
    if (what != "man" && what != "completion") {
        std::cerr << "vfilter_docs man|completion\n";
        return 2;
    }
    std::cout << (what == "man" ? vfilter::man_page() : vfilter::bash_completion()) << std::flush;
    return std::cout ? 0 : 1;
} catch (const std::exception& error) {
    std::cerr << "vfilter_docs: " << error.what() << '\n';
    return 1;
}
