import type { Api } from './net/api.ts'
import type { Socket } from './net/socket.ts'
import type { Crypto } from './worker/crypto.ts'

/** The environment of verbs. Tests make one with a fake wire. */
export interface Env {
  api: Api
  socket: Socket
  crypto: Crypto
  clock: () => Date
}
