/** The package has types only for its index. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';

  // biome-ignore lint/style/noDefaultExport: the package exports it so
  export default Client;
}
