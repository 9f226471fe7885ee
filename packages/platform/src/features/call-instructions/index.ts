export { createCallInstructions } from './create-call-instructions.ts';
export { readSoundDocument } from './parse/read-sound-document.ts';
export { readSsml } from './parse/read-ssml.ts';
export { readSipHeaders } from './parse/sip-headers.ts';
export { voiceWarning } from './parse/spoken-voices.ts';
export { createAnsweringAccount } from './runs/answering-account.ts';
export { createApplicationOf } from './runs/application-of.ts';
export type { RunOrder } from './runs/run-on-leg.ts';
