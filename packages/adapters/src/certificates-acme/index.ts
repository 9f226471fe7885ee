export { createAccountKey, createAcmeAuthority } from './acme-authority.ts';
export { createTemporaryCertificate } from './temporary-certificate.ts';
