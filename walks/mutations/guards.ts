import type { Mutation } from './mutation.ts'

/** Who may call what, see whom, and make the server ask where. */
export const guards: Mutation[] = [
  {
    name: 'A page of another site writes in the name of whoever visits it',
    file: 'server/ground/http/origin.ts',
    from: 'return listenerOf(config, request).origins(request.socket.localPort).includes(origin)',
    to: "return origin !== ''",
    test: 'server/ground/http/http.test.ts',
  },
  {
    name: 'A socket opens for a page of another site',
    file: 'server/ground/realtime/gateway.ts',
    from: "if (!isOriginAllowed(env.config, request)) throw new Refusal('forbidden_origin')",
    to: '',
    test: 'server/ground/realtime/gateway.test.ts',
  },
  {
    name: 'Whoever is signed in makes the calls of administrators',
    file: 'server/ground/http/access.ts',
    from: "access === 'admin' && !user.isAdmin",
    to: "access === 'admin' && !user.id",
    test: 'server/ground/http/serve.test.ts',
  },
  {
    name: 'The password alone opens calls that a device must sign for',
    file: 'server/ground/http/access.ts',
    from: "return assurance !== 'device' && !hasKeys",
    to: "return assurance !== 'device' || hasKeys",
    test: 'server/ground/http/serve.test.ts',
  },
  {
    name: 'A field that the contract does not declare is sent',
    file: 'server/ground/http/serve.ts',
    from: 'JSON.stringify(output.parse(answer))',
    to: '(output.parse(answer), JSON.stringify(answer))',
    test: 'server/ground/http/serve.test.ts',
  },
  {
    name: 'A rate limit counts each request anew',
    file: 'server/ground/http/limits.ts',
    from: 'const window = Math.floor(now / limiter.seconds)',
    to: 'const window = now + Math.random()',
    test: 'server/ground/http/limits.test.ts',
  },
  {
    name: 'One public address of a name lets the server ask the private ones beside it',
    file: 'server/ground/outbound/outbound.ts',
    from: '!addresses.every(isPublicAddress)',
    to: '!addresses.some(isPublicAddress)',
    test: 'server/ground/outbound/outbound.test.ts',
  },
  {
    name: 'A stranger reads the log of a room',
    file: 'server/chat/rooms/members.ts',
    from: 'room?.members.find((member) => member.userId === userId)',
    to: 'room?.members[0]',
    test: 'server/chat/rooms/rooms.test.ts',
  },
  {
    name: 'A blocked account still posts what was on its way',
    file: 'server/ground/db/functions/append.sql',
    from: 'OR NOT u.is_active OR',
    to: 'OR',
    test: 'server/chat/rooms/append.test.ts',
  },
  {
    name: 'A session posts in the name of another account',
    file: 'server/ground/db/functions/append.sql',
    from: 'AND (s.user_id = p.sender_id) IS TRUE\n',
    to: '\n',
    test: 'server/chat/rooms/append.test.ts',
  },
  {
    name: 'What a blocked person writes is given to whoever has blocked them',
    file: 'server/ground/db/withheld.ts',
    from: '    or ${messages.senderId} <> ${readerId} and ${messages.seq} <@ ${withheld})`',
    to: '    or ${messages.senderId} <> ${readerId} and ${messages.seq} <@ ${withheld} and false)`',
    test: 'server/chat/contacts/block.test.ts',
  },
  {
    name: 'Whoever was asked to be a contact sees when the asker is online, and has not answered',
    file: 'server/people/presence/store.ts',
    from: "mine.state = 'accepted' and theirs.state = 'accepted'\n",
    to: "mine.state = 'accepted'\n",
    test: 'server/chat/contacts/contacts.test.ts',
  },
]
