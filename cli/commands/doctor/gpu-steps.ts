// The steps of docs/operating/gpu.md, in their order: what each needs, and what to do if it is missing.

export const GPU_STEPS = ["platform", "driver", "card", "provider", "libraries", "load", "picture"] as const;
export type GpuStep = (typeof GPU_STEPS)[number];

/** Steps without which a step cannot be looked at. */
export const NEEDED_STEPS: Readonly<Record<GpuStep, readonly GpuStep[]>> = {
  platform: [],
  driver: ["platform"],
  card: ["driver"],
  provider: ["platform"],
  libraries: ["provider"],
  load: ["card", "libraries"],
  picture: ["load"],
};

/** What to do when a step is missing. */
export const REMEDIES: Readonly<Record<GpuStep, string>> = {
  platform:
    "Rendering on a GPU needs 64-bit Linux on an x86 processor. Everywhere else, avatars are rendered on the CPU.",
  driver:
    "Install NVIDIA's driver, version 525.60 or newer, and restart. In a container, the driver is the machine's: install the " +
    "NVIDIA Container Toolkit there, and start the container with access to the card.",
  card:
    "The driver shows no card. Look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES; in a container, at the access to the card " +
    "(`docker compose --profile gpu`, or `docker run --gpus all`).",
  provider: "Run: node node_modules/onnxruntime-node/script/install.js --onnxruntime-node-install=cuda12",
  libraries:
    "Install CUDA 12 and cuDNN 9 from NVIDIA's packages, or without root: pip install nvidia-cuda-runtime-cu12 nvidia-cublas-cu12 " +
    "nvidia-cufft-cu12 nvidia-curand-cu12 nvidia-cuda-nvrtc-cu12 nvidia-nvjitlink-cu12 nvidia-cudnn-cu12==9.*, and put their lib " +
    "folders into LD_LIBRARY_PATH before the service starts.",
  load: "The libraries are there, but the card does not take a model. The message above is that of ONNX Runtime.",
  picture:
    "The card renders other frames than the CPU does. Do not use it, and report the card, its driver and the differences.",
};
