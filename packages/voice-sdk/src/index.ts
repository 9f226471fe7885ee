export type { AudioDevices, AudioOptions, DeviceKind, MicrophoneFilter } from './browser/audio-devices.ts';
export type { Call, CallEvents } from './call/call.ts';
export type { CallEnd, CallPhase } from './call/call-state.ts';
export { type CallOptions, Phone, type PhoneEvents, type PhoneOptions } from './phone/phone.ts';
export type { PhonePhase } from './phone/phone-state.ts';
export type { PreflightReport } from './preflight.ts';
export type { QualitySample } from './quality/quality-sample.ts';
export type { QualityWarning } from './quality/quality-warnings.ts';
export { VoiceError, type VoiceErrorCode } from './voice-error.ts';
