export type { AddressFor } from './address-for.ts';
export { type Admission, type Admitted, admitAll, type Refused } from './admission/admission.ts';
export { defaultExternalCallLimits, type ExternalCallLimits } from './admission/external-admission.ts';
export type { CarrierLogin } from './carriers/carrier-accounts.ts';
export { type CarrierProbe, openCarrierProbe } from './carriers/carrier-probe.ts';
export { createSignalling, type SenderLimits, type SignallingDeps } from './create-signalling.ts';
export { type DefenceLimits, defaultDefenceLimits } from './defence/defence-limits.ts';
export { createRoutedLegs, type RoutedLegs, type RoutedLegsDeps } from './routing/routed-legs.ts';
export { createSipEdge, type SipEdge, type SipEdgeDeps } from './sip-edge.ts';
