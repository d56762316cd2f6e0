import { leaveStartDirectory } from '../config/start-directory.ts';

// A module of its own, which main.ts imports before all others: they are evaluated in this order.
leaveStartDirectory();
