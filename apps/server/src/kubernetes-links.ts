import type { Environment } from './config-reader.ts';

const addresses = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const url = /^(tcp|udp|sctp):\/\/\S+:\d+$/;

/**
 * The environment without the variables of services: a kubelet adds some for each service of the namespace, unless the pod has
 * `enableServiceLinks: false`. Those of a service `jackfield` begin like ours, and one `jackfield-http` makes a JACKFIELD_HTTP_PORT.
 */
export function withoutKubernetesLinks(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value = '']) => !addresses.test(name) && !(name.endsWith('_PORT') && url.test(value)),
    ),
  );
}
