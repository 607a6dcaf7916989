# One image for the api, the realtime relay and the avatar worker: the command selects which. `docker build --target gpu .` adds
# the CUDA provider (docs/operating/containers.md).
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
# Takes the symbols, which no program reads, out of Node and a library: 23 MB.
RUN apt-get update && apt-get install --yes --no-install-recommends binutils && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY package.json package-lock.json .npmrc ./
RUN npm ci && npm cache clean --force
COPY . .
# The pages and the programs are built here, so that the container writes to /data and /tmp alone. Of the repository and the
# packages, the image gets what these programs read.
RUN node --import tsx cli/build.ts && node --import tsx cli/image.ts /image
RUN cp /usr/local/bin/node /image-node && strip --strip-unneeded /image-node /image/node_modules/@roamhq/wrtc-*/wrtc.node

FROM debian:bookworm-slim AS service
# rtc-node and onnxruntime load these at run time; nothing is compiled.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libgomp1 libstdc++6 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY --from=build /image-node /usr/local/bin/node
COPY --from=build /image /app
# `avatar` is the command line; `answers PORT PATH` checks that a server of the container answers.
COPY deploy/containers/avatar deploy/containers/answers /usr/local/bin/
RUN useradd --uid 1000 --create-home --shell /usr/sbin/nologin avatar \
  && mkdir -p /data/voices && chown -R avatar:avatar /data && chmod 0700 /data
WORKDIR /app
# Half of these threads may look up names at a time: with the default of 4, two slow names would hold up all others.
ENV UV_THREADPOOL_SIZE=16
USER avatar
EXPOSE 8080
ENTRYPOINT ["node"]
# The api, as `npm start` runs it. The avatar worker: --enable-source-maps node_modules/.cache/open-avatar-service/worker.mjs
CMD ["--enable-source-maps", "--max-semi-space-size=8", "node_modules/.cache/open-avatar-service/api.mjs"]

# What rendering on an NVIDIA GPU needs besides the driver, which is the machine's (docs/operating/gpu.md).
FROM build AS cuda
RUN node node_modules/onnxruntime-node/script/install.js --onnxruntime-node-install=cuda12
RUN apt-get update && apt-get install --yes --no-install-recommends python3-venv && python3 -m venv /venv \
  && /venv/bin/pip install --no-cache-dir nvidia-cuda-runtime-cu12 nvidia-cublas-cu12 nvidia-cufft-cu12 nvidia-curand-cu12 \
  nvidia-cuda-nvrtc-cu12 nvidia-nvjitlink-cu12 'nvidia-cudnn-cu12==9.*' \
  && mkdir /cuda && mv /venv/lib/python3*/site-packages/nvidia/*/lib/*.so* /cuda/

FROM service AS gpu
COPY --from=cuda /cuda /opt/cuda
COPY --from=cuda /app/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime_providers_cuda.so \
  /app/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime_providers_shared.so \
  /app/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/
ENV LD_LIBRARY_PATH=/opt/cuda

# What `docker build .` makes.
FROM service
