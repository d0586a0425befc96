import { renderToStaticMarkup } from 'react-dom/server'
import { openCrypto } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { createApi } from '../net/api.ts'
import { createSocket } from '../net/socket.ts'
import { AuthScreen } from '../signin/AuthScreen.tsx'
import { EnvContext } from '../ui/env.tsx'
import { Shell } from './Shell.tsx'

// Runs in the build, never in a browser: what a first visit shows, and what a browser with an account shows, as HTML.

const none = () => {
  throw new Error('A static frame does nothing')
}
const env: Env = { api: createApi({ fetch: none }), socket: createSocket({ url: none }), crypto: openCrypto(none), clock: none }

/** Both first frames, of which client/public/early.js shows one. */
export const frames = (): string =>
  renderToStaticMarkup(
    <>
      <div className="frame-form">
        <EnvContext value={env}>
          <AuthScreen notice={null} isReturning={false} onSubmit={none} />
        </EnvContext>
      </div>
      <div className="frame-app">
        <Shell />
      </div>
    </>,
    // The Content-Security-Policy refuses styles in HTML.
  ).replaceAll(/ style="[^"]*"/g, '')
