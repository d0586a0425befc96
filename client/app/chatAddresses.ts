/** Where the chats stand, whoever lacks the right for more. "/home" has the welcome; any other address is nobody's. */
export const CHATS = ['/', '/chat', '/auth', '/security', '/admin', '/master-plan']
