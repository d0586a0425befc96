import './jitless.ts'
import { endedElsewhere, start } from '../account/account.ts'
import { accountStore } from '../account/store.ts'
import { openCrypto } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { createApi } from '../net/api.ts'
import { createSocket } from '../net/socket.ts'
import { mount } from './mount.tsx'
import { keepSession } from './session.ts'
import { createWorker } from './worker.ts'

const env: Env = {
  api: createApi({ onSignedOut: signedOutByServer }),
  socket: createSocket({ url: () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws` }),
  crypto: openCrypto(createWorker()),
  clock: () => new Date(),
}

const report = (error: unknown) => console.error(error)

function signedOutByServer(): void {
  if (accountStore.getState().phase !== 'signed_in') return
  endedElsewhere(env, 'Your session has ended. Sign in again.', { removeKeys: false }).catch(report)
}

keepSession(env, report)
mount(env)
start(env).catch((error) => {
  report(error)
  accountStore.setState({ phase: 'signed_out', user: null, notice: 'Something went wrong while starting. Sign in to go on.' })
})
