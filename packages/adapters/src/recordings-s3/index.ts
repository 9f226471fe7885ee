export { createS3Bucket, type S3Bucket } from './s3-bucket.ts';
export type { S3BucketOptions } from './s3-client.ts';
export { createS3Recordings } from './s3-recordings.ts';
