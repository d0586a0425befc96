import './jitless.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { closeAccount, SESSION_ENDED, sendPendingLogout, start } from '../account/account.ts'
import { proveAgain } from '../account/proof.ts'
import { accountStore } from '../account/store.ts'
import { CryptoFailure, openCrypto } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { createApi } from '../net/api.ts'
import { createSocket } from '../net/socket.ts'
import { dropToasts, showToast } from '../ui/toast.ts'
import { goToAuth, leaveAuth } from './address.ts'
import { mount } from './mount.tsx'
import { createWorker } from './worker.ts'

const env: Env = {
  api: createApi({ onSignedOut: signedOutByServer, prove: () => proveAgain(env) }),
  socket: createSocket({ url: () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws` }),
  crypto: openCrypto(createWorker()),
  clock: () => new Date(),
}

/** What was shown already: the same failure is shown once. */
const shown = new Set<string>()

/** What is no fault of anybody's. */
const TITLES: Record<string, string> = { quota: 'This browser is full', vault_newer: 'This page is out of date' }

/** A failure of cryptography is the person's to know; anything else is a bug. */
function report(error: unknown): void {
  const title = error instanceof CryptoFailure ? TITLES[error.code] : undefined
  if (!title) console.error(error)
  if (!(error instanceof CryptoFailure) || shown.has(error.message)) return
  shown.add(error.message)
  showToast({ tone: 'bad', title: title ?? 'Something does not fit', text: error.message, mustBeSeen: true })
}

function signedOutByServer({ signInText }: Endpoint): void {
  const { phase, user } = accountStore.getState()
  if (phase !== 'signed_in' && phase !== 'locked') return
  const notice = signInText ? `${signInText}. Sign in again: what you wrote is kept here.` : SESSION_ENDED
  closeAccount(env, notice)
    .then(() => goToAuth(user?.id))
    .catch(report)
}

globalThis.addEventListener('online', () => void sendPendingLogout(env).catch(report))
accountStore.subscribe(({ phase, user }, before) => {
  if (phase === before.phase) return
  dropToasts()
  if (phase === 'signed_in' && user) leaveAuth(user.id)
})
// The session's code is loaded once there is one: the sign-in form must not wait for it.
const off = accountStore.subscribe(({ phase }) => {
  if (phase !== 'signed_in') return
  off()
  import('./session.ts').then(({ keepSession }) => keepSession(env, report)).catch(report)
})
mount(env)
start(env, console.error).catch((error) => {
  report(error)
  accountStore.setState({ phase: 'signed_out', user: null, notice: 'Something went wrong while starting. Sign in to go on.' })
})
