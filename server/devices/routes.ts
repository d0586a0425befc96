import type { FastifyInstance } from 'fastify'
import { devicesApi } from '../../contract/devices.ts'
import type { Env } from '../env.ts'
import { serve } from '../http/serve.ts'
import { readBook, saveBook } from './book.ts'
import { changeKeys } from './change.ts'
import { listDevices, manifestOf, ownKeys, unlock } from './devices.ts'
import { enrol } from './enrol.ts'
import { addKeyPackages, keyPackagesLeft } from './keypackages.ts'

export function deviceRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, devicesApi.enrol, (user, keys) => enrol(env, user, keys))
  serve(app, env, devicesApi.unlock, (user) => unlock(env, user))
  serve(app, env, devicesApi.keyPackagesLeft, (user) => keyPackagesLeft(env, user))
  serve(app, env, devicesApi.addKeyPackages, (user, packages) => addKeyPackages(env, user, packages))
  serve(app, env, devicesApi.keys, (user) => ownKeys(env, user))
  serve(app, env, devicesApi.changeKeys, (user, change) => changeKeys(env, user, change))
  serve(app, env, devicesApi.list, (user) => listDevices(env, user))
  serve(app, env, devicesApi.manifest, (user, { userId }) => manifestOf(env, user, userId))
  serve(app, env, devicesApi.book, (user, which) => readBook(env, user, which))
  serve(app, env, devicesApi.saveBook, (user, book) => saveBook(env, user, book))
}
