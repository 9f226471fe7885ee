import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from './config.ts';
import { configVariables } from './config-variables.ts';
import { withoutKubernetesLinks } from './kubernetes-links.ts';

/** As the kubelet writes them for the services `jackfield` and `jackfield-sip` (pkg/kubelet/envvars). */
const links = {
  JACKFIELD_SERVICE_HOST: '10.96.12.7',
  JACKFIELD_SERVICE_PORT: '80',
  JACKFIELD_SERVICE_PORT_HTTP: '80',
  JACKFIELD_PORT: 'tcp://10.96.12.7:80',
  JACKFIELD_PORT_80_TCP: 'tcp://10.96.12.7:80',
  JACKFIELD_PORT_80_TCP_PROTO: 'tcp',
  JACKFIELD_PORT_80_TCP_PORT: '80',
  JACKFIELD_PORT_80_TCP_ADDR: '10.96.12.7',
  JACKFIELD_SIP_SERVICE_HOST: 'fd00::7',
  JACKFIELD_SIP_SERVICE_PORT: '5060',
  JACKFIELD_SIP_PORT: 'udp://[fd00::7]:5060',
  JACKFIELD_SIP_PORT_5060_UDP: 'udp://[fd00::7]:5060',
};

const load = (env: Readonly<Record<string, string>>) => loadConfig({ env, mode: 'dev' });

test('the variables that Kubernetes makes of services are no variables of the server', () => {
  assert.deepEqual(load(links), load({}));
  const loaded = load({ ...links, JACKFIELD_SIP_PORT: '5070' });
  assert.equal(loaded.ok && loaded.config.sip.port, 5070);
});

test('a name or a value that is not quite that of Kubernetes is refused', () => {
  for (const name of [
    'JACKFIELD_SERVICE_HOSTS',
    'JACKFIELD_PORT',
    'JACKFIELD_PORT_80',
    'JACKFIELD_HTTP_PORT',
  ]) {
    const loaded = load({ [name]: '10.96.12.7' });
    assert.ok(!loaded.ok && loaded.problems[0]?.variable === name, name);
  }
});

test('no variable of the server has the form of those that Kubernetes makes of services', () => {
  const names = Object.values(configVariables).map(({ name }) => name);
  const env = Object.fromEntries(names.map((name) => [name, '8080']));
  assert.deepEqual(Object.keys(withoutKubernetesLinks(env)), names);
});
