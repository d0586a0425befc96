import type { FastifyInstance } from 'fastify'
import { devicesApi } from '../../../contract/account/devices.ts'
import { keyPackagesApi } from '../../../contract/account/keypackages.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { challengeOf } from '../sessions/challenge.ts'
import { readBook, saveBook } from './book.ts'
import { changeKeys } from './change.ts'
import { listDevices, manifestOf, ownKeys, unlock } from './devices.ts'
import { enrol } from './enrol.ts'
import { addKeyPackages, keyPackagesLeft } from './keypackages.ts'
import { proveSession } from './prove.ts'

export function deviceRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, devicesApi.enrol, (user, keys, caller) => enrol(env, user, keys, caller))
  serve(app, env, devicesApi.unlock, (user) => unlock(env, user))
  serve(app, env, devicesApi.challenge, (user) => ({ challenge: challengeOf(env, user.sessionHash) }))
  serve(app, env, devicesApi.prove, (user, proof, caller) => proveSession(env, user, proof, caller))
  serve(app, env, keyPackagesApi.left, (user) => keyPackagesLeft(env, user))
  serve(app, env, keyPackagesApi.add, (user, packages) => addKeyPackages(env, user, packages))
  serve(app, env, devicesApi.keys, (user) => ownKeys(env, user))
  serve(app, env, devicesApi.changeKeys, (user, change) => changeKeys(env, user, change))
  serve(app, env, devicesApi.list, (user) => listDevices(env, user))
  serve(app, env, devicesApi.manifest, (user, { userId, version }) => manifestOf(env, user, userId, version))
  serve(app, env, devicesApi.book, (user, which) => readBook(env, user, which))
  serve(app, env, devicesApi.saveBook, (user, book) => saveBook(env, user, book))
}
