/** The chats stand here, also for whoever lacks the right for more. "/home" has the welcome. */
export const CHATS = ['/', '/chat', '/auth', '/security', '/admin', '/master-plan']
