export { type PointOptions, pointPlivoSdkAt } from './point-plivo-sdk-at.ts';
