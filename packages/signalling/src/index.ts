export { createAccountAdmission } from './admission/account-admission.ts';
export { type Admission, type Admitted, type Refused, trustEverybody } from './admission/admission.ts';
export {
  type CarrierAdmission,
  type CarrierAdmissionDeps,
  createCarrierAdmission,
} from './admission/carrier-admission.ts';
export { createDigestAdmission, type DigestAdmissionDeps } from './admission/digest-admission.ts';
export {
  createExternalAdmission,
  defaultExternalCallLimits,
  type ExternalAdmissionDeps,
  type ExternalCallLimits,
} from './admission/external-admission.ts';
export { createSandboxAdmission, type SandboxAdmissionDeps } from './admission/sandbox-admission.ts';
export { createSipNonces } from './admission/sip-nonces.ts';
export { createTokenAdmission, type TokenAdmissionDeps } from './admission/token-admission.ts';
export { createTrunkAdmission, type TrunkAdmissionDeps } from './admission/trunk-admission.ts';
export type { CarrierLogin } from './carriers/carrier-accounts.ts';
export { createDefence, type Defence, type DefenceLimits, defaultDefenceLimits } from './defence/defence.ts';
export { createRoutedLegs, type RoutedLegs, type RoutedLegsDeps } from './routing/routed-legs.ts';
export { createSipEdge, type SipEdge, type SipEdgeDeps } from './sip-edge.ts';
