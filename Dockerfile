# vfilter as an image; docs/packages.md has the commands, docker/build.sh builds it and tries it.
#
# BASE is what the image runs on. DEVELOPMENT is where vfilter is compiled, which has to be the same release of the same
# distribution: with nvcc it makes the image with the CUDA engine, without it is BASE itself.
ARG BASE=debian:12
ARG DEVELOPMENT

FROM ${DEVELOPMENT:-${BASE}} AS build
ENV PATH=/usr/local/cuda/bin:$PATH
WORKDIR /vfilter
# The packages change less often than the source, so they are a layer of their own.
COPY scripts/setup.sh scripts/
RUN mkdir build && bash -c '. scripts/setup.sh && install_packages "${packages[@]}" "${package_packages[@]}"'
COPY . .
# More for CMake, such as "-D CMAKE_CUDA_ARCHITECTURES=90-real".
ARG CMAKE_OPTIONS=
# For the reports of vfilter-bench: git's folder is not here.
ARG REVISION=
# Where nvcc is, an image without the engine would be a mistake.
RUN cmake --preset package $(command -v nvcc >/dev/null && echo -D VFILTER_CUDA=ON) \
        -D VFILTER_COMMIT="${REVISION}" ${CMAKE_OPTIONS} && \
    bash -c '. scripts/setup.sh && set_up package' && \
    cpack --config build/package/CPackConfig.cmake -G DEB -B /packages

# The package knows what it needs, whatever the release calls it.
FROM ${BASE} AS program
COPY docker/unused.cfg /etc/dpkg/dpkg.cfg.d/vfilter
COPY --from=build /packages/vfilter_*.deb /packages/
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /packages/vfilter_*.deb && \
    apt-get clean && \
    rm -rf /packages /var/lib/apt/lists/* && \
    ! ldd /usr/bin/vfilter* | grep "not found" && \
    install -d -o nobody -g nogroup /data
COPY docker/entrypoint.sh /usr/local/bin/entrypoint
# What NVIDIA's runtime brings into the container: CUDA; decoders and encoders; nvidia-smi.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,video,utility
WORKDIR /data
ENTRYPOINT ["entrypoint"]
CMD ["--help"]
HEALTHCHECK NONE

# With `--target bench`: what makes pages of benchmarks, which nobody needs who filters videos.
FROM program AS bench
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-matplotlib && \
    apt-get clean && \
    rm -rf /var/lib/apt/lists/*
COPY bench/pages.py /usr/local/bin/vfilter-pages
COPY docker/bench.sh /usr/local/bin/vfilter-bench-page

FROM program
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="vfilter" \
      org.opencontainers.image.description="Filters every picture of a video, on the CPU or an NVIDIA GPU" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT AND GPL-2.0-or-later"
