import type { FastifyInstance } from 'fastify'
import type { Queryable } from '../ground/db/connect.ts'
import { renewalsOf } from './bills.ts'
import { frameRoutes } from './embedded.ts'
import { fetchFrom } from './network.ts'
import { sandboxRoutes } from './routes.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'

/** All that the server has of the sandbox. */
export interface OpenedSandbox {
  sandbox: Sandbox
  /** Answers the calls of the provider's client, in place of the network. */
  fetch: typeof fetch
  /** Adds the pages at which people pay. */
  routes: (app: FastifyInstance, clientFolder?: string) => void
  /** Adds what the page in the frame asks at its own origin. `originOf` is the messenger's. */
  frameRoutes: (app: FastifyInstance, originOf: (port: number | undefined) => string) => void
  /** Bills what is due by the clock, as a job. */
  renewals: () => Promise<boolean>
}

/** Opens the sandbox. Only a dynamic import leads here: it is a program of its own, and loaded where the settings choose it. */
export function open(db: Queryable, clock: () => Date): OpenedSandbox {
  const sandbox = openSandbox(db, clock)
  return {
    sandbox,
    fetch: fetchFrom(sandbox, db),
    routes: (app, clientFolder) => sandboxRoutes(app, sandbox, clientFolder),
    frameRoutes: (app, originOf) => frameRoutes(app, sandbox, originOf),
    renewals: renewalsOf(sandbox),
  }
}
