import theme from 'vitepress/theme';
import SizingCalculator from './SizingCalculator.vue';

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export of this file.
export default {
  extends: theme,
  enhanceApp({ app }: { readonly app: { component(name: string, component: unknown): void } }) {
    app.component('SizingCalculator', SizingCalculator);
  },
};
