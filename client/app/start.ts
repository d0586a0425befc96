import type { Endpoint } from '../../contract/ground/endpoint.ts'
import type { Env } from '../env.ts'
import { closeAccount, SESSION_ENDED, sendPendingLogout, start } from '../me/account/account.ts'
import { accountStore } from '../me/account/accountState.ts'
import { proveAgain } from '../me/account/proveSession.ts'
import { createApi } from '../net/api.ts'
import { createSocket } from '../net/socket.ts'
import { createWorker } from '../net/workers.ts'
import { dropToasts, showToast } from '../ui/toast.ts'
import { CryptoFailure, openCrypto } from '../worker/crypto.ts'
import { loadForm } from './App.tsx'
import { goToAuth, leaveAuth } from './address.ts'
import { firstFrame, wire } from './early.ts'
import { watchInstall } from './install.ts'
import { mount } from './mount.tsx'

const env: Env = {
  api: createApi({
    fetch: wire,
    onSignedOut: signedOutByServer,
    onTorRequired: async (details) => (await import('../me/door/closeDoor.ts')).closeDoor(env, details),
    prove: () => proveAgain(env),
  }),
  socket: createSocket({
    url: () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
    prove: () => proveAgain(env),
  }),
  crypto: openCrypto(createWorker),
  clock: () => new Date(),
}

/** Time that a page waits for the server, where it opens without one: on a train a connection may seem alive and bring nothing. */
const ANSWER_WITHIN_MS = 3000

/** Texts of the failures already shown: each is shown once. */
const shown = new Set<string>()

/** Titles of failures that are no attack and no bug. */
const TITLES: Record<string, string> = {
  quota: 'This browser is full',
  vault_newer: 'This page is out of date',
  not_loaded: 'Not loaded',
}

/** Shows failures of cryptography to the person, and logs all failures that have no title above. */
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
// Load the session's code after the sign-in, so that the sign-in form need not wait for it.
const off = accountStore.subscribe(({ phase }) => {
  if (phase !== 'signed_in') return
  off()
  import('./session.ts').then(({ keepSession }) => keepSession(env, report)).catch(report)
})
// A visitor who only looks at the form, which takes the focus by itself, needs no worker.
if (firstFrame() === 'app' || document.activeElement !== document.body) createWorker()
else for (const type of ['input', 'pointerdown']) document.addEventListener(type, () => void createWorker(), { once: true })
watchInstall()
// The live form takes the place of the static one in one step, so its code has to be here: client/app/entry.ts asks for both at once.
if (firstFrame() === 'form') void loadForm().then(begin)
else begin()

function begin(): void {
  mount(env)
  start(env, console.error, ANSWER_WITHIN_MS)
    .catch((error) => {
      report(error)
      accountStore.setState({ phase: 'signed_out', user: null, notice: 'Something went wrong while starting. Sign in to go on.' })
    })
    // What it did not take may be another account's.
    .finally(() => delete globalThis.early?.asked)
}
