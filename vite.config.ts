import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  cacheDir: '../node_modules/.vite',
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    target: 'es2023',
    sourcemap: false,
    // The Content-Security-Policy allows no data: fonts or images.
    assetsInlineLimit: 0,
    // Vite's polyfill would be an inline script.
    modulePreload: { polyfill: false },
    // Modules run in the order of their imports, across chunks too: client/app/jitless.ts comes before every schema.
    rolldownOptions: { output: { strictExecutionOrder: true } },
  },
})
