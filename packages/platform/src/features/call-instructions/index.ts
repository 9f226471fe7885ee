export { createCallInstructions } from './create-call-instructions.ts';
export { readSoundDocument } from './parse/read-sound-document.ts';
export { readSipHeaders } from './parse/sip-headers.ts';
export { createApplicationOf } from './runs/application-of.ts';
export type { RunOrder } from './runs/run-on-leg.ts';
