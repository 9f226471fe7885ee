export { createAccountAdmission } from './account-admission.ts';
export { type Admission, type Admitted, type Refused, trustEverybody } from './admission.ts';
export type { CarrierLogin } from './carrier-accounts.ts';
export {
  type CarrierAdmission,
  type CarrierAdmissionDeps,
  createCarrierAdmission,
} from './carrier-admission.ts';
export { createDefence, type Defence, type DefenceLimits, defaultDefenceLimits } from './defence.ts';
export { createDigestAdmission, type DigestAdmissionDeps } from './digest-admission.ts';
export {
  createExternalAdmission,
  defaultExternalCallLimits,
  type ExternalAdmissionDeps,
  type ExternalCallLimits,
} from './external-admission.ts';
export { createSandboxAdmission, type SandboxAdmissionDeps } from './sandbox-admission.ts';
export { createSipEdge, type SipEdge, type SipEdgeDeps } from './sip-edge.ts';
export { createSipNonces } from './sip-nonces.ts';
export { createTokenAdmission, type TokenAdmissionDeps } from './token-admission.ts';
export { createTrunkAdmission, type TrunkAdmissionDeps } from './trunk-admission.ts';
