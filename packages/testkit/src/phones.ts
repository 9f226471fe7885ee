/** The phones of `packages/testing` and what they speak: on a server they need no platform in their process. */

export { createSystemClock } from '@jackfield/adapters/clock';
export {
  createToneSpeech,
  isSilent,
  SpokenTextReader,
  spokenText,
  UtteranceReader,
} from '@jackfield/adapters/speech-tones';
export { wavHeader } from '@jackfield/media';
export type { PhoneCall } from './phone-call.ts';
export type { DatagramNetwork, NetworkAddress, Receive } from './simulated-network.ts';
export { type PhoneBehaviour, SimulatedPhone, type TrunkOfPhone } from './simulated-phone.ts';
export { frameSamples } from './tone-meter.ts';
