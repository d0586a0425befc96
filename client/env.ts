import type { Crypto } from './crypto/crypto.ts'
import type { Api } from './net/api.ts'
import type { Socket } from './net/socket.ts'

/** What a verb is given. Tests make one with a fake wire. */
export interface Env {
  api: Api
  socket: Socket
  crypto: Crypto
  clock: () => Date
}
