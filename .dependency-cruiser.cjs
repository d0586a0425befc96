// Who may import whom. `scripts/check/rules.test.ts` plants a violation of each rule and expects that rule's name.

const tests = '([.]test[.]tsx?$|^(client|server)/testing/|/testing[.]ts$|^(e2e|faults|walks)/)'
/** Everything behind the one door to keys: the protocol, the vault, the search index, the primitives. */
const behindTheDoor = 'client/worker/'
const modules = (...names) => `node_modules/(@types/)?(${names.join('|')})(/|$)`

/** The wings of each end, from the ground up: each may import those before it. */
const CLIENT_WINGS = ['worker', 'rtc', 'net', 'ui', 'rooms', 'me', 'alerts', 'plan', 'chat', 'people', 'admin']
const SERVER_WINGS = ['settings', 'ground', 'people', 'money', 'identity', 'chat', 'account', 'admin']
const CONTRACT_WINGS = ['ground', 'people', 'money', 'account', 'chat', 'admin']

/** One rule a wing: it imports no wing that stands above it. */
const wingsInOrder = (end, wings) =>
  wings.slice(0, -1).map((wing, at) => ({
    name: 'wings-in-order',
    severity: 'error',
    comment: `The wings of ${end}/ stand on one another: ${wings.join(' < ')}. A lower one is handed a function by whoever calls it.`,
    from: { path: `^${end}/${wing}/`, pathNot: tests },
    to: { path: `^${end}/(${wings.slice(at + 1).join('|')})/` },
  }))

module.exports = {
  forbidden: [
    {
      name: 'ends-never-meet',
      severity: 'error',
      comment:
        'The browser and the server share contract/ and nothing else. What both need is a schema or a pure function there.',
      from: { path: '^(client|server)/', pathNot: tests },
      to: { path: '^(client|server)/', pathNot: '^$1/' },
    },
    {
      name: 'contract-stands-alone',
      severity: 'error',
      comment: 'contract/ runs on both ends, so it imports zod, @noble/hashes (onion addresses) and itself, nothing else.',
      from: { path: '^contract/', pathNot: tests },
      to: { pathNot: ['^contract/', modules('zod', '@noble/hashes')] },
    },
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'Two files that need each other are one file, or a third one waits to be found between them. Types count too.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'memory-and-doors-are-private',
      severity: 'error',
      comment:
        'store.ts, store-<noun>.ts, routes.ts and frames.ts belong to their folder. Call the front file instead (contacts/contacts.ts). client/app/ assembles the screens and may read stores.',
      from: { path: '^((?:client|server)/.+/)[^/]+$', pathNot: ['^client/app/', tests] },
      to: { path: '^(client|server)/.+/(store|store-[^/]+|routes|frames)[.]ts$', pathNot: '^$1[^/]+$' },
    },
    {
      name: 'only-app-collects-doors',
      severity: 'error',
      comment:
        'server/app.ts is the one table of contents: it alone collects routes.ts and frames.ts, and it touches no store.ts.',
      from: { path: '^((client|server)/[^/]+[.]tsx?$|scripts/|bench/)', pathNot: ['^server/app[.]ts$', tests] },
      to: { path: '^(client|server)/.+/(store|store-[^/]+|routes|frames)[.]ts$' },
    },
    {
      name: 'app-touches-no-store',
      severity: 'error',
      comment: 'server/app.ts lists the doors. SQL is reached through the verbs of a feature.',
      from: { path: '^server/app[.]ts$' },
      to: { path: '^server/.+/(store|store-[^/]+)[.]ts$' },
    },
    {
      name: 'sql-in-stores',
      severity: 'error',
      comment:
        'SQL stands in store.ts and store-<noun>.ts of a folder, and in db/. A verb calls it by a name that says what is asked.',
      from: { path: '^server/', pathNot: ['^server/ground/db/', '^server/.+/(store|store-[^/]+)[.]ts$', tests] },
      to: { path: ['^server/ground/db/schema/', modules('drizzle-orm', 'pg')] },
    },
    ...wingsInOrder('client', CLIENT_WINGS),
    ...wingsInOrder('server', SERVER_WINGS),
    ...wingsInOrder('contract', CONTRACT_WINGS),
    {
      name: 'nobody-imports-app',
      severity: 'error',
      comment:
        'client/app/ and server/app.ts, with everyjob.ts and sockets.ts, assemble the house and know everything. Only the entries and tests import them.',
      from: {
        path: '^(client|server|contract)/',
        pathNot: ['^client/app/', '^server/(main|app)[.]ts$', '^client/[^/]+[.]tsx?$', tests],
      },
      to: { path: '^(client/app/|server/(app|main|everyjob|sockets)[.]ts$)' },
    },
    {
      name: 'server-cannot-read-content',
      severity: 'error',
      comment:
        'End-to-end encryption as a lint rule: no file of the server reaches what people write, not even through another file.',
      from: { path: '^server/', pathNot: tests },
      to: { path: '^contract/chat/(content[.]ts$|kinds/)', reachable: true },
    },
    {
      name: 'keys-through-one-door',
      severity: 'error',
      comment:
        'client/worker/crypto.ts is the only door to keys, to the vault and to the search index. An auditor reads what lies behind it and knows that no key leaves. client/net/workers.ts takes the address of the worker, not its code.',
      from: { pathNot: [`^${behindTheDoor}`, '^client/net/workers[.]ts$', tests] },
      to: { path: `^${behindTheDoor}`, pathNot: '^client/worker/(crypto|demonstration)[.]ts$' },
    },
    {
      name: 'demonstration-is-for-pages',
      severity: 'error',
      comment:
        'client/worker/demonstration.ts seals a text of a stranger in a room that nobody has. The product goes through client/worker/crypto.ts.',
      from: { pathNot: ['^client/site/', tests] },
      to: { path: '^client/worker/demonstration[.]ts$' },
    },
    {
      name: 'demonstration-has-no-keys',
      severity: 'error',
      comment:
        'What a public page loads to show how a text is sealed reaches neither the vault nor the search index, not even through another file.',
      from: { path: '^client/worker/demonstration[.]ts$' },
      to: { path: '^client/worker/(vault|searchindex)/', reachable: true },
    },
    {
      name: 'vault-knows-no-protocol',
      severity: 'error',
      comment:
        'client/worker/vault/ keeps sealed rows and client/worker/searchindex/ searches them: neither knows MLS, keys or people. The protocol in the other folders of client/worker/ uses both.',
      from: { path: '^client/worker/(vault|searchindex)/', pathNot: tests },
      to: { path: '^client/worker/', pathNot: '^client/worker/(vault|searchindex|primitives)/' },
    },
    {
      name: 'vault-knows-no-index',
      severity: 'error',
      comment:
        'client/worker/searchindex/ is made from what the vault holds, and can be made anew. The vault knows nothing of it.',
      from: { path: '^client/worker/vault/', pathNot: tests },
      to: { path: '^client/worker/searchindex/' },
    },
    {
      name: 'primitives-stand-alone',
      severity: 'error',
      comment:
        'client/worker/primitives/ is what every seal, hash and signature is made of. It keeps nothing and imports the contract only.',
      from: { path: '^client/worker/primitives/', pathNot: tests },
      to: { path: '^client/', pathNot: '^client/worker/primitives/' },
    },
    {
      name: 'worker-is-an-address',
      severity: 'error',
      comment:
        'client/net/workers.ts starts the encryption worker by its address and knows nothing else behind the door to keys.',
      from: { path: '^client/net/workers[.]ts$' },
      to: { path: `^${behindTheDoor}`, pathNot: '^client/worker/worker[.]ts$' },
    },
    {
      name: 'mls-in-few-files',
      severity: 'error',
      comment:
        'ts-mls is spoken in four files of client/worker/group/ (mls, suite, joining, commits), so that its hazards are handled once (docs/decisions/0011).',
      from: { pathNot: ['^client/worker/group/(mls|suite|joining|commits)[.]ts$', tests] },
      to: { path: modules('ts-mls') },
    },
    {
      name: 'react-only-in-tsx',
      severity: 'error',
      comment: 'Logic runs in a worker and in a test without a screen. React, its widgets and icons appear in .tsx files only.',
      from: { path: '^(client|contract|server)/.*[.]ts$' },
      to: { path: modules('react', 'react-dom', 'radix-ui', 'lucide-react', 'wouter', '@tanstack/react-virtual') },
    },
    {
      name: 'pages-ship-alone',
      severity: 'error',
      comment:
        'Public pages load without the messenger: they use ui/, worker/demonstration.ts and net/runningCode.ts, which says what a page is made of, and no feature.',
      from: { path: '^client/site/', pathNot: tests },
      to: {
        path: '^client/',
        pathNot: '^client/((site|ui)/|worker/demonstration[.]ts$|net/runningCode[.]ts$)',
      },
    },
    {
      name: 'tests-stay-outside',
      severity: 'error',
      comment: 'What ships does not know its tests.',
      from: { path: '^(client|server|contract)/', pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'server-ships-its-dependencies',
      severity: 'error',
      comment: 'The server runs with production dependencies. A package that it imports stands under "dependencies".',
      from: { path: '^server/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'imports-exist',
      severity: 'error',
      comment: 'An import that resolves to nothing is a file that moved or a package that nobody declared.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data|coverage)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'browser', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
}
