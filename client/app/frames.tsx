import { renderToStaticMarkup } from 'react-dom/server'
import type { Env } from '../env.ts'
import { AuthScreen } from '../me/signin/AuthScreen.tsx'
import { createApi } from '../net/api.ts'
import { createSocket } from '../net/socket.ts'
import { Landing } from '../site/Landing.tsx'
import { Lacks, Nowhere } from '../site/Paper.tsx'
import { EnvContext } from '../ui/env.tsx'
import { openCrypto } from '../worker/crypto.ts'
import { Shell } from './Shell.tsx'

// Runs in the build, never in a browser: what is on screen before any code is, as HTML.

const none = () => {
  throw new Error('A static frame does nothing')
}
const env: Env = {
  api: createApi({ fetch: none }),
  socket: createSocket({ url: none, prove: none }),
  crypto: openCrypto(none),
  clock: none,
}

const Form = ({ isReturning }: { isReturning: boolean }) => (
  <EnvContext value={env}>
    <AuthScreen notice={null} isReturning={isReturning} onSubmit={none} />
  </EnvContext>
)

/** The first frames, of which client/early.js shows one; without JavaScript it is the landing. */
export const frames = (): string =>
  renderToStaticMarkup(
    <>
      <div className="frame-landing">
        <Landing />
      </div>
      <div className="frame-form">
        <Form isReturning={false} />
      </div>
      <template id="other-tab">
        <Form isReturning />
      </template>
      <div className="frame-app">
        <Shell />
      </div>
      <div className="frame-nowhere">
        <Nowhere />
      </div>
      <div className="frame-lacks">
        <Lacks />
      </div>
    </>,
    // The Content-Security-Policy refuses styles in HTML.
  ).replaceAll(/ style="[^"]*"/g, '')
