import '@fontsource-variable/geist-mono/wght.css'
import '@fontsource-variable/inter/opsz.css'
import '@fontsource-variable/newsreader/opsz.css'
import '../ui/tokens.css'
import '../ui/components.css'
import './app.css'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import type { Env } from '../env.ts'
import { EnvContext } from '../ui/env.tsx'
import { App } from './App.tsx'
import { startTheme } from './theme.ts'

/** Renders the app in `#root`. */
export function mount(env: Env): void {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  // The scroll lock of dialogs adds a <style>, for which the Content-Security-Policy needs this page's nonce.
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  if (nonce) setNonce(nonce)
  startTheme()
  createRoot(root).render(
    <EnvContext value={env}>
      <App />
    </EnvContext>,
  )
}
