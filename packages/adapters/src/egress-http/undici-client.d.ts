/** The package has types of its index alone. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';

  // biome-ignore lint/style/noDefaultExport: that is how the package exports it
  export default Client;
}
