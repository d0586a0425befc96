import type { Mutation } from './mutation.ts'

/** What opens accounts, browsers, chats and rooms, how often it may be guessed, and who takes turns. */
export const locks: Mutation[] = [
  {
    name: 'Chat passwords that are tried at the same time are all compared',
    file: 'server/chat/chatlocks/chatlocks.ts',
    from: '    requireNoWait(lock, now)\n',
    to: '',
    test: 'server/chat/chatlocks/chatlocks.test.ts',
  },
  {
    name: 'A session reads the messages of a chat that another one has opened',
    file: 'server/chat/messages/pages.ts',
    from: 'if (read.isProtected) await requireOpen(env.db, user, chatRoomId, env.clock())',
    to: '',
    test: 'server/chat/chatlocks/chatGate.test.ts',
  },
  {
    name: 'A session posts into a chat that another one has opened',
    file: 'server/ground/db/functions/append.sql',
    from: 'AND (o.session_hash = p.session) IS TRUE AND',
    to: 'AND',
    test: 'server/chat/chatlocks/chatGate.test.ts',
  },
  {
    name: 'Two servers run one job at the same time',
    file: 'server/ground/jobs/store.ts',
    from: 'select pg_try_advisory_lock($1, hashtext($2)) as held',
    to: 'select pg_try_advisory_lock_shared($1, hashtext($2)) as held',
    test: 'server/ground/jobs/jobs.test.ts',
  },
  {
    name: 'The tries at a name from everywhere together are not bounded',
    file: 'server/account/account/tries.ts',
    from: "    await limits.take('signInByName', name),\n",
    to: '',
    test: 'server/account/account/tries.test.ts',
  },
  {
    name: 'A copy of a passkey signs in',
    file: 'server/identity/passkeys/store.ts',
    from: 'or(lt(passkeys.counter, counter),',
    to: 'or(sql`${counter}::bigint > 0`,',
    test: 'server/account/account/passkeys.test.ts',
  },
  {
    name: 'A computer that has slept is kept open by the first input',
    file: 'client/me/browserlock/watchIdle.ts',
    from: '    if (leftMs() <= 0) return wait()\n',
    to: '',
    test: 'client/me/browserlock/watchIdle.test.ts',
  },
  {
    name: 'The vault of a locked browser opens without its password',
    file: 'client/worker/vault/wraps.ts',
    from: 'const all = encodeFields(localKey, unlockSecret, secret)',
    to: 'const all = encodeFields(localKey, unlockSecret, secret.subarray(0, 0))',
    test: 'client/worker/vault/vaultLock.test.ts',
  },
  {
    name: 'Two tabs work on one thing at the same time',
    file: 'client/worker/vault/exclusive.ts',
    from: 'const mine = before.then(work)',
    to: 'const mine = Promise.resolve().then(work)',
    test: 'client/worker/vault/exclusive.test.ts',
  },
  {
    name: 'Words are sealed for a room from which a device was removed, before the commit that shuts it out',
    file: 'server/ground/db/functions/append.sql',
    from: '(r.needs_commit OR (p.group_id',
    to: '((p.group_id',
    test: 'server/chat/rooms/gate.test.ts',
  },
  {
    name: 'A removed device changes who is in the room',
    file: 'client/worker/group/commitRules.ts',
    from: "if (changesMembers && !isListed(committer)) return 'Its author is a removed device'",
    to: '',
    test: 'client/worker/group/commitRules.test.ts',
  },
  {
    name: 'Who seals two texts under one key has the server show another one to each reader',
    file: 'client/worker/messages/sealedMessage.ts',
    from: "if (!sameBytes(authData, bodyHash)) throw new CryptoFailure('body_swapped', 'The text belongs to another message')",
    to: '',
    test: 'client/worker/messages/sealedMessage.test.ts',
  },
]
