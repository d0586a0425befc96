import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Contestant, countRows } from './contestant.ts'
import { type Ground, inDatabase } from './ground.ts'
import { adopt } from './program.ts'
import { scratchFolder } from './scratch.ts'
import { answered, freePort, startTcpPostgres, type TcpPostgres } from './tcp.ts'
import { openStream, type Stream, type Ways } from './xmpp.ts'

const CONTROL = ['/usr/sbin/ejabberdctl', '/usr/local/sbin/ejabberdctl', '/usr/bin/ejabberdctl']
const SCHEMA = ['/usr/share/ejabberd/sql/pg.sql', '/usr/local/share/ejabberd/sql/pg.sql']
/** Where Erlang and ejabberd keep their libraries. */
const DRIVERS = ['/usr/lib/erlang/lib', '/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/local/lib']
const HOST = 'localhost'
const PASSWORD = 'bench'
const BODY_BYTES = 512
const START_MS = 60_000

const control = (): string | undefined => CONTROL.find((file) => existsSync(file))
const schema = (): string | undefined => SCHEMA.find((file) => existsSync(file))

/** What is not installed, by the names of Debian's packages; undefined if ejabberd can run. */
export function missingPackage(): string | undefined {
  if (control() === undefined || schema() === undefined) return 'ejabberd'
  return DRIVERS.some((folder) => readFolder(folder).some((name) => name.startsWith('p1_pgsql'))) ? undefined : 'erlang-p1-pgsql'
}

const readFolder = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/**
 * Starts the installed ejabberd in a temporary folder. mod_mam stores every message in the same PostgreSQL. XEP-0198 acknowledges a
 * message after its stream has stored it.
 */
export async function enterEjabberd(_ground: Ground, count: number): Promise<Contestant> {
  const { program, postgres, senders, receivers, stop } = await openEjabberd(count, { isAcknowledged: true })
  const contestant: Contestant = {
    name: 'ejabberd',
    pid: program.pid,
    postgresPid: postgres.pid,
    onDelivered: undefined,
    async send(at, id) {
      await senders[at]?.say(messageTo(at, id))
    },
    // mod_mam stores each message twice: for its sender and for its receiver.
    stored: async () => (await countRows(postgres.url, 'archive')) / 2,
    stop,
  }
  for (const receiver of receivers) receiver.onMessage = (id) => contestant.onDelivered?.(id)
  return contestant
}

/** Starts it with so many pairs, whose receivers are online. */
export async function openEjabberd(count: number, ofSenders: Ways) {
  const postgres = await startTcpPostgres()
  const folder = scratchFolder('ejabberd')
  await inDatabase(postgres.url, readFileSync(schema() ?? '', 'utf8'))
  await inDatabase(
    postgres.url,
    `insert into users (username, password) select p || n, '${PASSWORD}' from unnest(array['a', 'b']) p, generate_series(0, ${count - 1}) n`,
  )
  await inDatabase(postgres.url, 'vacuum analyze')
  const port = await freePort()
  writeFileSync(path.join(folder, 'ejabberd.yml'), settings(postgres, port))
  const program = start(folder)
  const open = (username: string, ways: Ways) => openStream(port, HOST, username, PASSWORD, ways)
  const first = await answered(() => open('a0', { isAcknowledged: true }), START_MS)
  first.close()
  const senders: Stream[] = []
  const receivers: Stream[] = []
  // Connections open one by one, because ejabberd's listen queue is short.
  for (let at = 0; at < count; at++) {
    senders.push(await open(`a${at}`, ofSenders))
    receivers.push(await open(`b${at}`, { isOnline: true }))
  }
  return {
    program,
    postgres,
    senders,
    receivers,
    async stop() {
      for (const stream of [...senders, ...receivers]) stream.close()
      await program.stop()
      await postgres.stop()
    },
  }
}

const BODY = 'x'.repeat(BODY_BYTES)

/** A message to the receiver of that pair, with what it asks of its reader beside the text. */
export const messageTo = (at: number, id: string, asks = ''): string =>
  `<message to='b${at}@${HOST}' type='chat' id='${id}'><body>${BODY}</body>${asks}</message>`

/** What a receiver tells the sender of that pair about a message, which mod_mam stores as well (XEP-0334). */
export const receiptTo = (at: number, id: string, receipt: string): string =>
  `<message to='a${at}@${HOST}' type='chat' id='${id}'>${receipt}<store xmlns='urn:xmpp:hints'/></message>`

/** Starts Erlang directly, because ejabberdctl switches to a user account that cannot read the folder. */
function start(folder: string) {
  const script = readFileSync(control() ?? '', 'utf8')
  const setting = (name: string) => new RegExp(`^${name}=['"]?([^'"\n]+)['"]?$`, 'm').exec(script)?.[1] ?? ''
  mkdirSync(path.join(folder, 'mnesia'))
  const child = spawn(setting('ERL'), ['-noinput', '-mnesia', 'dir', `"${folder}/mnesia"`, '-s', 'ejabberd'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      ERL_LIBS: setting('ERL_LIBS'),
      EJABBERD_CONFIG_PATH: path.join(folder, 'ejabberd.yml'),
      EJABBERD_LOG_PATH: path.join(folder, 'ejabberd.log'),
    },
  })
  return adopt(child)
}

/** Settings equal to the product's in its own run: no TLS on loopback, no traffic shaping, sixteen database connections. */
function settings(postgres: TcpPostgres, port: number): string {
  return `
hosts: [${HOST}]
loglevel: error
listen:
  - {port: ${port}, ip: "127.0.0.1", module: ejabberd_c2s, starttls: false, shaper: none, max_stanza_size: 262144}
auth_method: sql
auth_password_format: plain
default_db: sql
sql_type: pgsql
sql_server: "127.0.0.1"
sql_port: ${postgres.port}
sql_database: postgres
sql_username: conclave
sql_password: "${postgres.password}"
sql_pool_size: 16
modules:
  mod_mam: {db_type: sql, default: always}
  mod_stream_mgmt: {resend_on_timeout: false, resume_timeout: 0}
`
}
