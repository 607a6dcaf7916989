// Descriptions of the fields of sample avatars.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const SAMPLE_FIELDS: FieldDescriptions = {
  "samples.download.slug": "Short name of the sample",
  "SampleModel.slug": "Short name of the sample",
  "SamplesListResponse.version": "Version of the list",
  "SamplesListResponse.updated": "When the list last changed",
  models: "The sample avatars",
};
