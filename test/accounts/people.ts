/** Whoever the tests make accounts for. */
export const ana = { name: "Ana Lima", email: "ana@example.org", plan: "business", isConfirmed: true } as const
