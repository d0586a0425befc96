/** The list of chats stands here for everybody. */
export const LISTS = ['/', '/chat', '/auth', '/security']

/** The chats stand here, also for whoever lacks the right for more. "/home" has the welcome. */
export const CHATS = [...LISTS, '/admin', '/master-plan']
