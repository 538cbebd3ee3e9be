"""Can an answer be read from a brief without physics?"""
