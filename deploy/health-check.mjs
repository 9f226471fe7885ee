// Ends with 0 while the server in the same container answers at /healthz, and with 1 otherwise. Reads the variables of docs/operate/configuration.md.
import { request as http } from 'node:http';
import { request as https } from 'node:https';

const {
  JACKFIELD_ACME_DIRECTORY,
  JACKFIELD_HTTP_HOST,
  JACKFIELD_HTTP_PORT,
  JACKFIELD_HTTP_TLS,
  JACKFIELD_OPERATOR_HOST,
  JACKFIELD_OPERATOR_PORT,
  JACKFIELD_TLS_CERT,
} = process.env;
const isApart = Boolean(JACKFIELD_OPERATOR_PORT);
const host = isApart ? JACKFIELD_OPERATOR_HOST : JACKFIELD_HTTP_HOST;
const isEvery = !host || ['0.0.0.0', '::'].includes(host);

const isHttps =
  Boolean(JACKFIELD_TLS_CERT || JACKFIELD_ACME_DIRECTORY) && JACKFIELD_HTTP_TLS?.toLowerCase() !== 'false';

// The operator's listener speaks plain HTTP.
const probe = (isHttps && !isApart ? https : http)({
  host: isEvery ? '127.0.0.1' : host,
  port: JACKFIELD_OPERATOR_PORT || JACKFIELD_HTTP_PORT || 8080,
  path: '/healthz',
  timeout: 4_000,
  // The certificate names the public host, not this address.
  rejectUnauthorized: false,
});
probe.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
probe.on('timeout', () => process.exit(1));
probe.on('error', () => process.exit(1));
probe.end();
