export { createSecrets } from './node-secrets.ts';
export { openSecretKey, parseSecretKey } from './secret-key.ts';
