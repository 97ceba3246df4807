#include "io/languages.h"

#include <string_view>

#include "config/letters.h"

namespace vfilter {

namespace {

// Of ISO 639: two letters, and the three of bibliographies, which Matroska has.
constexpr std::string_view languages =
    "aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bhbih bibis "
    "bmbam bnben botib brbre bsbos cacat ceche chcha cocos crcre cscze cuchu cvchv cywel dadan deger dvdiv "
    "dzdzo eeewe elgre eneng eoepo esspa etest eubaq faper ffful fifin fjfij fofao frfre fyfry gagle gdgla "
    "glglg gngrn guguj gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyarm hzher iaina idind ieile igibo "
    "iiiii ikipk ioido isice itita iuiku jajpn jvjav kageo kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor "
    "krkau kskas kukur kvkom kwcor kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah "
    "mimao mkmac mlmal mnmon mrmar msmay mtmlt mybur nanau nbnob ndnde nenep ngndo nldut nnnno nonor nrnbl "
    "nvnav nynya ococi ojoji omorm orori ososs papan pipli plpol pspus ptpor quque rmroh rnrun rorum rurus "
    "rwkin sasan scsrd sdsnd sesme sgsag sisin skslo slslv smsmo snsna sosom sqalb srsrp ssssw stsot susun "
    "svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl tntsn toton trtur tstso tttat twtwi tytah uguig "
    "ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid yoyor zazha zhchi zuzul ";

constexpr TwoCodes two_codes[] = {
    {"alb", "sqi", "alb"}, {"arm", "hye", "arm"}, {"baq", "eus", "baq"}, {"bur", "mya", "bur"}, {"chi", "zho", "chi"},
    {"cze", "ces", "ces"}, {"dut", "nld", "dut"}, {"fre", "fra", "fra"}, {"geo", "kat", "geo"}, {"ger", "deu", "ger"},
    {"gre", "ell", "gre"}, {"ice", "isl", "ice"}, {"mac", "mkd", "mac"}, {"mao", "mri", ""},    {"may", "msa", "may"},
    {"per", "fas", "per"}, {"rum", "ron", "ron"}, {"slo", "slk", "slk"}, {"tib", "bod", "tib"}, {"wel", "cym", "wel"},
    {"fao", "fao", "fo "}, {"gle", "gle", "iri"}, {"hrv", "hrv", "hr "}, {"pan", "pan", "pa "}, {"srp", "srp", "sr "},
    {"swe", "swe", "sve"}};

}  // namespace

std::span<const TwoCodes> languages_with_two_codes() {
    return two_codes;
}

std::string three_letters(const std::string& language) {
    std::string primary = lower_case(language.substr(0, language.find('-')));
    if (primary.size() == 3) {
        return primary;
    }
    for (std::size_t at = 0; primary.size() == 2 && at + 5 <= languages.size(); at += 6) {
        if (languages.substr(at, 2) == primary) {
            return std::string(languages.substr(at + 2, 3));
        }
    }
    return "";
}

}  // namespace vfilter
