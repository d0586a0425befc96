import './jitless.ts'
import { endedElsewhere, payOwedLogout, start } from '../account/account.ts'
import { accountStore } from '../account/store.ts'
import { CryptoFailure, openCrypto } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { createApi } from '../net/api.ts'
import { createSocket } from '../net/socket.ts'
import { showToast } from '../ui/toast.ts'
import { mount } from './mount.tsx'
import { createWorker } from './worker.ts'

const env: Env = {
  api: createApi({ onSignedOut: signedOutByServer }),
  socket: createSocket({ url: () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws` }),
  crypto: openCrypto(createWorker()),
  clock: () => new Date(),
}

/** What was told already: a server that goes on giving the same wrong answer is told of once. */
const told = new Set<string>()

/** A failure of cryptography is the person's to know; anything else is a bug. */
function report(error: unknown): void {
  const isFull = error instanceof CryptoFailure && error.code === 'quota'
  if (!isFull) console.error(error)
  if (!(error instanceof CryptoFailure) || told.has(error.message)) return
  told.add(error.message)
  showToast({ tone: 'bad', title: isFull ? 'This browser is full' : 'Something does not fit', text: error.message })
}

function signedOutByServer(): void {
  if (accountStore.getState().phase !== 'signed_in') return
  endedElsewhere(env, 'Your session has ended. Sign in again.').catch(report)
}

globalThis.addEventListener('online', () => void payOwedLogout(env).catch(report))
// What keeps a session alive comes once there is one: the sign-in form is not to wait for it.
const off = accountStore.subscribe(({ phase }) => {
  if (phase !== 'signed_in') return
  off()
  import('./session.ts').then(({ keepSession }) => keepSession(env, report)).catch(report)
})
mount(env)
start(env).catch((error) => {
  report(error)
  accountStore.setState({ phase: 'signed_out', user: null, notice: 'Something went wrong while starting. Sign in to go on.' })
})
