/** What a test or a bench says of its Kamailio. */
export interface KamailioConfiguration {
  /** Core parameters, among them the sockets. */
  readonly parameters: readonly string[];
  /** Besides those of a proxy and registrar with authentication. */
  readonly modules: readonly string[];
  readonly settings: readonly string[];
  /** The body of `request_route`. */
  readonly routes: string;
  /** Further routes, whole. */
  readonly furtherRoutes?: string;
}

const modules = [
  'tm',
  'tmx',
  'sl',
  'rr',
  'pv',
  'xlog',
  'textops',
  'siputils',
  'maxfwd',
  'auth',
  'usrloc',
  'registrar',
];

/** A configuration of Debian's Kamailio with one worker, which writes `kamailio is up` when it is. */
export function kamailioConfiguration(of: KamailioConfiguration): string {
  return `#!KAMAILIO
log_stderror=yes
fork=yes
children=1
auto_aliases=no
mpath="/usr/lib/x86_64-linux-gnu/kamailio/modules/:/usr/lib/aarch64-linux-gnu/kamailio/modules/"
${of.parameters.join('\n')}
${[...modules, ...of.modules].map((name) => `loadmodule "${name}.so"`).join('\n')}
modparam("registrar", "method_filtering", 0)
${of.settings.join('\n')}

event_route[core:worker-one-init] {
  xlog("L_ALERT", "kamailio is up\\n");
}

request_route {
${of.routes}
}

${of.furtherRoutes ?? ''}
`;
}
