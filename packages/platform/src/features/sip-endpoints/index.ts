export { createSipEndpoints } from './create-sip-endpoints.ts';
export { createMayDial } from './registrations/may-dial.ts';
