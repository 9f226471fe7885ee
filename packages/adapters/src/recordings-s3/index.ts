export { createS3Bucket, type S3Bucket, type S3BucketOptions } from './s3-bucket.ts';
export { createS3Recordings } from './s3-recordings.ts';
