import { mount } from 'svelte';
import App from './app.svelte';
import './style/console.css';

const target = document.getElementById('console');
if (target === null) throw new Error('the page has no element #console');
mount(App, { target });
