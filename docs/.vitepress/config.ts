import { site } from '../../tools/docs-site/site.ts';

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export of this file.
export default site;
