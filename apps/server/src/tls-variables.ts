import { asBoolean, asPath, asPort, asUrl } from './config-values.ts';

const port = 'a port from 0 (any free one) to 65535';
const file = 'the path of a PEM file';

export const tlsVariables = {
  sipsPort: { name: 'JACKFIELD_SIPS_PORT', allowed: port, read: asPort },
  tlsCert: { name: 'JACKFIELD_TLS_CERT', allowed: file, read: asPath },
  tlsKey: { name: 'JACKFIELD_TLS_KEY', allowed: file, read: asPath },
  httpTls: { name: 'JACKFIELD_HTTP_TLS', allowed: 'true or false', read: asBoolean },
  tlsCa: { name: 'JACKFIELD_TLS_CA', allowed: file, read: asPath },
  acmeDirectory: {
    name: 'JACKFIELD_ACME_DIRECTORY',
    allowed: 'an https: URL, the ACME directory of an authority',
    read: asUrl('https:'),
  },
  acmePort: { name: 'JACKFIELD_ACME_PORT', allowed: port, read: asPort },
} as const;
