export { behaviours } from './domain/behaviours.ts';
export { type SandboxPhonesDeps, startSandboxPhones, talkerClip } from './sandbox-phones.ts';
export { sentences } from './sentences.ts';
