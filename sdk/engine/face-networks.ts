/** The files of the networks that find a face, and tell the person from the background. */
export const FACE_NETWORKS = Object.freeze({
  detector: new URL("../../models/face/face_detection_short_range.onnx", import.meta.url),
  mesh: new URL("../../models/face/face_landmark.onnx", import.meta.url),
  iris: new URL("../../models/face/iris_landmark.onnx", import.meta.url),
  segmenter: new URL("../../models/face/selfie_segmentation.onnx", import.meta.url),
});
