export { createCallBlackBox } from './create-call-black-box.ts';
export { traceDocuments } from './tracing/document-spans.ts';
